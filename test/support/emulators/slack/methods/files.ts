import { newFile } from "../files.ts";
import { post } from "../messages.ts";
import { refused } from "../refusal.ts";
import { messageContent } from "./content.ts";
import type { Handlers } from "./handler.ts";
import { destination, threadRoot } from "./place.ts";

type FileMethods = "files.completeUploadExternal" | "files.getUploadURLExternal" | "files.info";

/** One gigabyte. */
const LARGEST_FILE = 1024 ** 3;

export const fileMethods: Handlers<FileMethods> = {
  "files.getUploadURLExternal": ({ world, app }, args) => {
    if (args.filename === "") throw refused("missing_argument");
    if (!Number.isInteger(args.length) || args.length <= 0 || args.length > LARGEST_FILE)
      throw refused("invalid_arguments");
    const file = newFile(world, { name: args.filename, bytes: null, size: args.length, owner: app.user.id });
    file.appId = app.id;
    return { upload_url: `${world.origin}/upload/v1/${file.uploadKey}`, file_id: file.object.id };
  },

  "files.completeUploadExternal": (context, args) => {
    const { world, app } = context;
    const files = args.files.map(({ id, title }) => {
      const file = world.files.get(id);
      if (file === undefined || file.appId !== app.id) throw refused("file_not_found");
      if (file.bytes === null) throw refused("file_upload_size_mismatch");
      if (file.completed) throw refused("file_already_completed");
      if (title !== undefined) file.object.title = title;
      return file;
    });
    const conversation = args.channel_id === undefined ? null : destination(context, args.channel_id, args.thread_ts);
    const root = conversation === null ? null : threadRoot(conversation, args.thread_ts);
    const comment = args.initial_comment ?? "";
    const blocks = comment === "" && args.blocks !== undefined ? { blocks: args.blocks } : {};
    const said =
      comment === "" && args.blocks === undefined ? { text: "" } : messageContent(world, { text: comment, ...blocks });
    for (const file of files) {
      file.completed = true;
      if (conversation !== null) file.sharedIn.add(conversation.id);
    }
    if (conversation !== null) {
      context.spendMessage(conversation);
      const content = { ...said, subtype: "file_share", upload: false, files: files.map((file) => file.object) };
      post(world, conversation, { author: app.user, content, threadTs: root?.message.ts ?? null });
    }
    return { files: files.map((file) => structuredClone(file.object)) };
  },

  "files.info": ({ world, app }, args) => {
    const file = world.files.get(args.file);
    const isSeen = [...(file?.sharedIn ?? [])].some(
      (id) => world.conversations.get(id)?.members.has(app.user.id) === true,
    );
    if (file === undefined || !(isSeen || file.appId === app.id)) throw refused("file_not_found");
    return { file: { ...file.object, channels: [...file.sharedIn] }, comments: [] };
  },
};
