import { expect, it } from "vitest";
import { describeOnEveryStore } from "../../support/test-store.ts";
import { Door, doorConfig, group, messageOf } from "./door.ts";

const ODD = "a\u0000b\u0007\u001b[31m\u202eesrever\u2066 \ud800 \udfff end";

describeOnEveryStore("odd characters at the door", (open) => {
  it("IN-3, IN-10: NUL, control and direction characters and lone surrogates are stored like any text", async () => {
    const door = new Door(await open(), doorConfig);
    const odd = { name: ODD, username: ODD };
    expect(await door.offer({ messageId: "1", text: ODD, sender: odd })).toMatchObject({ result: "accepted" });
    expect(
      await door.offer({
        messageId: "2",
        text: ODD,
        sender: odd,
        peer: { ...group, label: ODD },
        thread: { kind: "topic", id: "7", label: ODD },
        route: { channel: "telegram", accountId: "default", to: group.id, threadId: "7" },
        mentions: { bot: true },
        replyTo: { messageId: "9", senderName: ODD, text: ODD, fromBot: false },
        attachments: [{ ref: "r", name: ODD, mime: ODD, bytes: 1, kind: "file" }],
        albumId: "x",
      }),
    ).toMatchObject({ result: "accepted" });
    expect(await door.offer({ messageId: "3", text: ODD, sender: odd, peer: { ...group, label: ODD } })).toMatchObject({
      result: "kept",
    });
    const [first] = await door.inputs();
    expect(messageOf(first).text).toContain("end");
  });
});
