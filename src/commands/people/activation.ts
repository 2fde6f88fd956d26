import { z } from "zod";
import { ACTIVATIONS, type Activation, activationName, readActivation } from "../../core/session/session.ts";
import { peopleTexts } from "../../core/texts/commands/people.ts";
import { accountValue } from "../../store/reads/upkeep/account-value.ts";
import { setAccountValue } from "../../store/steps/upkeep/set-account-value.ts";
import { type CommandContext, defineCommand } from "../command.ts";

const CHOICES = [...ACTIVATIONS, "default"] as const;

const texts = peopleTexts.activation;

/** `/activation [mention|always|default]` (CM-13) for the group, channel, thread or topic it is typed in. */
export const activationCommand = defineCommand({
  name: "activation",
  group: "administration",
  summary: texts.summary,
  arguments: [{ name: "mode", description: texts.mode, choices: CHOICES }],
  input: z.object({ mode: z.enum(CHOICES).optional() }),
  role: "admin",
  execute: async ({ mode }, context) => {
    const place = placeOf(context);
    if (place === null) return { text: texts.direct, private: true };
    const { store } = context.services;
    if (mode === undefined) return { text: await currentText(context, place) };
    await store.step(setAccountValue, { ...place.account, name: place.name, value: mode });
    return {
      text: mode === "default" ? await currentText(context, place) : texts.is(mode, place.where),
    };
  },
});

interface ActivationPlace {
  readonly account: { readonly channel: string; readonly accountId: string };
  readonly name: string;
  /** The group's or channel's own, which holds where a thread has none; null: this is it. */
  readonly around: string | null;
  readonly where: "here" | "thread";
}

/** A top-level command that is answered in its own thread applies to the channel (SK-8). */
function placeOf({ rights, route, messageId }: CommandContext): ActivationPlace | null {
  const { group } = rights;
  if (group === null) return null;
  const threadId = route.threadId === messageId ? null : route.threadId;
  return {
    account: { channel: group.channel, accountId: group.accountId },
    name: activationName(group.id, threadId),
    around: threadId === null ? null : activationName(group.id, null),
    where: threadId === null ? "here" : "thread",
  };
}

async function currentText({ services }: CommandContext, place: ActivationPlace): Promise<string> {
  const read = async (name: string | null): Promise<Activation | null> =>
    name === null ? null : readActivation(await services.store.read(accountValue, { ...place.account, name }));
  const own = await read(place.name);
  const around = own ?? (await read(place.around));
  if (around === null) return texts.nothingSet;
  return texts.is(around, own === null ? "around" : place.where);
}
