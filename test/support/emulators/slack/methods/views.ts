import { checkBlocks, MOST_VIEW_BLOCKS } from "../blocks.ts";
import { refused } from "../refusal.ts";
import type { Handlers } from "./handler.ts";

export const viewMethods: Handlers<"views.open"> = {
  "views.open": ({ world, app }, args) => {
    const trigger = args.trigger_id === undefined ? undefined : world.triggers.get(args.trigger_id);
    if (trigger === undefined || trigger.appId !== app.id) throw refused("invalid_trigger_id");
    if (trigger.used) throw refused("exchanged_trigger_id");
    if (world.clock() > trigger.until) throw refused("expired_trigger_id");
    checkBlocks(args.view.blocks, MOST_VIEW_BLOCKS);
    const title = "title" in args.view ? args.view.title : undefined;
    if (title !== undefined && title.text.length > 24) throw refused("invalid_arguments");
    trigger.used = true;
    const id = world.newId("V");
    const view = {
      ...args.view,
      id,
      team_id: app.team.id,
      app_id: app.id,
      bot_id: app.botId,
      hash: `${world.seconds()}.emulated`,
      root_view_id: id,
      state: { values: {} },
    };
    world.views.push({ seq: world.nextSeq(), id, appId: app.id, userId: trigger.userId, view });
    world.signals.changed();
    return { view };
  },
};
