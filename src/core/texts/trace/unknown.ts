/* What `/why` and `switchyard why` say when nothing is stored about a message (IN-17). */

export const unknownTexts = {
  kept: (events: string, deliveries: string): string =>
    `Records of received messages expire after ${events}, of sent messages after ${deliveries}.`,
  pointHow: "Enter a message link as the platform copies it, the platform's message id, or the event id from the log:",
  tooOld: (time: string): string => `It was written on ${time} UTC. Its record has expired.`,
  notConfigured: (channel: string): string =>
    `It never arrived: no ${channel} account is configured (channels.${channel}).`,
  neverArrived: "It never arrived, or its record has expired.",
  writtenAt: (time: string): string => `It was written on ${time} UTC.`,
  noProcess: "Switchyard is not running",
  causes: "These can keep a message from arriving:",
  doctor: "Run `switchyard doctor` to check for some of them.",
};
