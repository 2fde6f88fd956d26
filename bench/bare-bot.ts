/** The yardstick of `bench/bridge.ts`: a plain grammY bot that asks the model with fetch and replies. Nothing is kept. */
import { Bot } from "grammy";

const { BOT_TOKEN = "", API_ROOT = "", MODEL_URL = "" } = process.env;
const bot = new Bot(BOT_TOKEN, { client: { apiRoot: API_ROOT } });

bot.on("message:text", async (context) => {
  const response = await fetch(`${MODEL_URL}/chat/completions`, {
    method: "POST",
    headers: { "content-type": "application/json", authorization: "Bearer none" },
    body: JSON.stringify({ model: "bench", messages: [{ role: "user", content: context.message.text }] }),
  });
  const answer = (await response.json()) as { choices: { message: { content: string } }[] };
  await context.reply(answer.choices[0]?.message.content ?? "(nothing)");
});

await bot.start();
