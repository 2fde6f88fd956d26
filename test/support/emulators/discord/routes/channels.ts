import { deleteChannel, tellChannel } from "../channels.ts";
import type { ChannelRecord } from "../records.ts";
import { badRequest, forbidden, invalidForm } from "../refusal.ts";
import { channelShape } from "../shapes.ts";
import { updateThread } from "../threads.ts";
import { channelFor, may, needs } from "./destination.ts";
import type { BotContext, BotHandlers, UpdateChannelBody } from "./handler.ts";

function checkName(name: string | null | undefined): void {
  if (name === undefined || (name !== null && name.length >= 1)) return;
  throw invalidForm({
    path: ["name"],
    code: "BASE_TYPE_BAD_LENGTH",
    message: "Must be between 1 and 100 in length.",
  });
}

/** Modify Channel, thread: the creator may change it, locking needs MANAGE_THREADS; archived: only opening it. */
function changeThread(context: BotContext, channel: ChannelRecord, body: UpdateChannelBody): void {
  const { thread } = channel;
  if (thread === null) return;
  const moderates = may(context, channel, "ManageThreads");
  const own = thread.ownerId === context.bot.user.id;
  const opens = body.archived === false;
  // Anybody who may write there may open an archived thread that is not locked.
  const onlyOpens = opens && Object.keys(body).length === 1 && !thread.locked;
  if (!moderates && !onlyOpens) {
    if (!own || body.locked !== undefined || (thread.locked && thread.archived))
      needs(context, channel, "ManageThreads");
  }
  if (thread.archived && !opens) throw badRequest(50083, "Thread is archived");
  updateThread(context.world, channel, {
    ...(body.name === undefined || body.name === null ? {} : { name: body.name }),
    ...(typeof body.archived === "boolean" ? { archived: body.archived } : {}),
    ...(typeof body.locked === "boolean" ? { locked: body.locked } : {}),
    ...(typeof body.invitable === "boolean" ? { invitable: body.invitable } : {}),
    ...(typeof body.auto_archive_duration === "number" ? { autoArchiveDuration: body.auto_archive_duration } : {}),
    ...(typeof body.rate_limit_per_user === "number" ? { slowmode: body.rate_limit_per_user } : {}),
    ...(Array.isArray(body.applied_tags) ? { appliedTags: body.applied_tags } : {}),
  });
}

function changeChannel(context: BotContext, channel: ChannelRecord, body: UpdateChannelBody): void {
  needs(context, channel, "ManageChannels");
  if (typeof body.name === "string") channel.name = body.name;
  if (body.topic !== undefined) channel.topic = body.topic;
  if (body.parent_id !== undefined) channel.parentId = body.parent_id;
  if (typeof body.rate_limit_per_user === "number") channel.slowmode = body.rate_limit_per_user;
  if (Array.isArray(body.available_tags)) {
    channel.tags = body.available_tags.map((tag) => ({ ...tag, id: tag.id ?? context.world.nextId() }));
  }
  tellChannel(context.world, channel, "CHANNEL_UPDATE");
}

export const channelRoutes: BotHandlers<"get_channel" | "update_channel" | "delete_channel"> = {
  get_channel: (context) => channelShape(channelFor(context), context.bot),

  update_channel: (context, body) => {
    const channel = channelFor(context);
    if (channel.dm !== null) throw forbidden(50003, "Cannot execute action on a DM channel");
    checkName(body.name);
    if (channel.thread === null) changeChannel(context, channel, body);
    else changeThread(context, channel, body);
    return channelShape(channel, context.bot);
  },

  delete_channel: (context) => {
    const channel = channelFor(context);
    const shape = channelShape(channel, context.bot);
    // "Closing" direct messages hides them; the channel stays the same.
    if (channel.dm !== null) return shape;
    needs(context, channel, channel.thread === null ? "ManageChannels" : "ManageThreads");
    deleteChannel(context.world, channel);
    return shape;
  },
};
