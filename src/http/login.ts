import type { Hono } from "hono";
import { html } from "hono/html";
import { httpTexts, signInTexts } from "../core/texts/http.ts";
import type { ServerEnv } from "./guard.ts";
import type { GuessLimit, TokenCheck } from "./guesses.ts";

const STYLE = `:root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif; }
body { display: grid; place-items: center; min-height: 100dvh; margin: 0; background: Canvas; color: CanvasText; }
form { display: grid; gap: .75rem; width: min(22rem, 90vw); }
input, button { font: inherit; padding: .6rem .75rem; border-radius: .5rem; border: 1px solid GrayText; }
button { background: #2f5fd0; color: #fff; border: 0; cursor: pointer; }
[role=alert] { margin: 0; color: #d03a3a; }`;

/** `/login`: the form that turns the token into a cookie; `/logout` takes the cookie away in this browser. */
export function addLogin(app: Hono<ServerEnv>, token: TokenCheck, guesses: GuessLimit): void {
  app.get("/login.css", () => new Response(STYLE, { headers: { "content-type": "text/css; charset=utf-8" } }));
  app.get("/login", (c) => c.html(page(localPath(c.req.query("next")), null)));
  app.post("/login", async (c) => {
    const form = await c.req.parseBody();
    const next = localPath(typeof form.next === "string" ? form.next : undefined);
    const sent = typeof form.token === "string" ? form.token.trim() : "";
    const address = c.env.incoming.socket.remoteAddress ?? "";
    const verdict = await guesses.check(address, () => token.matches(sent));
    if (verdict === "refused") {
      c.header("retry-after", "1");
      return c.html(page(next, httpTexts.tooManyTries), 429);
    }
    if (verdict === "wrong") return c.html(page(next, httpTexts.wrongToken), 401);
    c.header("set-cookie", token.cookie(c.req.header("origin")?.startsWith("https://") ?? false));
    return c.redirect(next, 303);
  });
  app.post("/logout", (c) => {
    c.header("set-cookie", token.noCookie());
    return c.redirect("/login", 303);
  });
}

/** Only a path of this server, so that a login never leads to another website. */
function localPath(next: string | undefined): string {
  return next !== undefined && /^\/(?![/\\])[\x21-\x7e]*$/.test(next) ? next : "/";
}

function page(next: string, problem: string | null) {
  return html`<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <title>${signInTexts.title}</title>
    <link rel="stylesheet" href="/login.css" />
  </head>
  <body>
    <main>
    <form method="post" action="/login">
      <h1>Switchyard</h1>
      <label for="token">${signInTexts.token}</label>
      <input id="token" name="token" type="password" autocomplete="current-password" required autofocus />
      <input type="hidden" name="next" value="${next}" />
      ${problem === null ? "" : html`<p role="alert">${problem}</p>`}
      <button>${signInTexts.submit}</button>
    </form>
    </main>
  </body>
</html>`;
}
