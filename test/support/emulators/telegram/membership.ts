import type { TelegramChatMember, TelegramUser } from "@gramio/types/objects";
import { botsIn } from "./messages.ts";
import type { ChatRecord, Member } from "./records.ts";
import type { World } from "./world.ts";

/** A membership in the form the Bot API shows it. */
export function asChatMember(member: Member): TelegramChatMember {
  const { user } = member;
  switch (member.status) {
    case "creator":
      return { status: "creator", user, is_anonymous: false };
    case "administrator":
      return {
        status: "administrator",
        user,
        can_be_edited: false,
        is_anonymous: false,
        can_manage_chat: true,
        can_delete_messages: member.canDeleteMessages,
        can_manage_video_chats: false,
        can_restrict_members: false,
        can_promote_members: false,
        can_change_info: false,
        can_invite_users: true,
        can_post_stories: false,
        can_edit_stories: false,
        can_delete_stories: false,
        can_send_welcome_messages: false,
        can_manage_topics: member.canManageTopics,
      };
    case "member":
      return { status: "member", user };
    case "left":
      return { status: "left", user };
    case "kicked":
      return { status: "kicked", user, until_date: 0 };
  }
}

/** Changes a membership; a bot hears of its own as `my_chat_member`, other bots as `chat_member` when they ask for it. */
export function changeMember(
  world: World,
  chat: ChatRecord,
  by: TelegramUser,
  change: { user: TelegramUser } & Partial<Omit<Member, "user">>,
): void {
  const { user, ...rights } = change;
  const before = asChatMember(chat.members.get(user.id) ?? emptyMember(user));
  const after = asChatMember(world.setMember(chat, user, rights));
  const update = { chat: chat.chat, from: by, date: world.seconds(), old_chat_member: before, new_chat_member: after };
  for (const bot of botsIn(world, chat)) {
    bot.updates.push(bot.user.id === user.id ? { my_chat_member: update } : { chat_member: update });
  }
  world.signals.changed();
}

function emptyMember(user: TelegramUser): Member {
  return { user, status: "left", canManageTopics: false, canDeleteMessages: false };
}
