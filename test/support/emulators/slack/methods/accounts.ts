import type { UserRecord } from "../records.ts";
import { refused } from "../refusal.ts";
import type { Handlers } from "./handler.ts";
import { page, userIn } from "./place.ts";

type AccountMethods =
  | "apps.connections.open"
  | "auth.test"
  | "bots.info"
  | "team.info"
  | "usergroups.list"
  | "users.info"
  | "users.list";

function userObject(user: UserRecord): Record<string, unknown> {
  return {
    id: user.id,
    team_id: user.team.id,
    name: user.name,
    real_name: user.realName,
    deleted: user.deleted,
    is_bot: user.isBot,
    is_app_user: false,
    is_admin: false,
    is_owner: false,
    is_restricted: false,
    is_ultra_restricted: false,
    tz: user.timeZone,
    updated: 0,
    profile: {
      real_name: user.realName,
      real_name_normalized: user.realName,
      display_name: user.isBot ? "" : user.name,
      display_name_normalized: user.isBot ? "" : user.name,
      team: user.team.id,
      ...(user.app === null ? {} : { bot_id: user.app.botId, api_app_id: user.app.id }),
    },
  };
}

export const accountMethods: Handlers<AccountMethods> = {
  "auth.test": ({ app }) => ({
    url: `https://${app.team.domain}.slack.com/`,
    team: app.team.name,
    user: app.user.name,
    team_id: app.team.id,
    user_id: app.user.id,
    bot_id: app.botId,
    is_enterprise_install: false,
  }),

  "apps.connections.open": ({ app }) => {
    if (app.sockets.isDisabled) throw refused("forbidden_team", "Socket Mode is not turned on");
    return { url: app.sockets.ticketUrl() };
  },

  "bots.info": ({ world, app }, args) => {
    const found = [...world.apps.values()].find((entry) => entry.botId === (args.bot ?? app.botId));
    if (found === undefined || found.team !== app.team) throw refused("bot_not_found");
    const { botId, id, name, user } = found;
    return { bot: { id: botId, deleted: false, name, updated: 0, app_id: id, user_id: user.id, icons: {} } };
  },

  "team.info": ({ app, world }, args) => {
    const team = args.team === undefined ? app.team : world.teams.get(args.team);
    if (team === undefined || team !== app.team) throw refused("team_not_found");
    return { team: { ...team, email_domain: "", icon: {} } };
  },

  // https://docs.slack.dev/reference/methods/usergroups.list
  "usergroups.list": ({ world, app }) => ({
    usergroups: [...world.userGroups.entries()].map(([id, handle]) => ({
      id,
      team_id: app.team.id,
      is_usergroup: true,
      name: handle,
      handle,
      description: "",
      is_external: false,
      date_delete: 0,
    })),
  }),

  "users.info": ({ world, app }, args) => ({ user: userObject(userIn(world, app, args.user)) }),

  "users.list": ({ world, app }, args) => {
    const list = [...world.users.values()].filter((user) => user.team === app.team);
    const { items, response_metadata } = page(list, args);
    return { members: items.map(userObject), cache_ts: world.seconds(), response_metadata };
  },
};
