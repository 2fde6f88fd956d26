/** What the operator reads about messages and results that did not get through: in listings, `/why` and the failures view. */

export const UNKNOWN_REASON = "unknown reason";
export const DISMISSED = "dismissed by the operator";
export const THREAD_NOT_NEEDED = "the thread is no longer needed";

export const resultLost = (name: string): string =>
  `The result of ${name} was not delivered: its requester no longer exists`;

/** Why a sub-agent's result wakes nobody, or cannot be delivered (CP-2). */
export const COMPLETION = {
  stopped: "stopped",
  inThread: "people read it in its own thread",
  notRequested: "no completion was requested",
  requesterGone: "the requester no longer exists",
  requesterReset: "the requester was reset",
  requesterSilent: "the requester chose not to answer",
};

export const requesterTurnEnded = (outcome: string): string => `the requester's turn ended: ${outcome}`;

export const placeName = (route: { readonly channel: string; readonly accountId: string; readonly to: string }) =>
  `${route.channel} (account ${route.accountId}), conversation ${route.to}`;

interface Lost {
  readonly place: string;
  readonly reason: string;
}

export const messageFailed = ({ place, reason }: Lost): string => `A message to ${place} was not delivered: ${reason}`;

export const messageUnconfirmed = ({ place, reason }: Lost): string =>
  `A message to ${place} may not have arrived and is not sent again: ${reason}`;

export const threadFailed = ({ place, reason }: Lost): string => `A thread in ${place} was not created: ${reason}`;

export const threadUnconfirmed = ({ place, reason }: Lost): string =>
  `A thread in ${place} may not have been created and is not requested again: ${reason}`;

export const eventParked = (event: { readonly channel: string; readonly accountId: string; readonly error: string }) =>
  `An event of ${event.channel}/${event.accountId} failed three times and was set aside: ${event.error}`;
