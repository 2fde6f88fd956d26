/**
 * What the home page's place answers from the moment the port is open until its adapter takes it over. A 404 there would tell
 * an open page that its conversation is gone, and it would stop sending what waits in it.
 */
export async function startingResponse(): Promise<Response> {
  return new Response("Switchyard is starting. This page opens by itself in a moment.", {
    status: 503,
    headers: { "retry-after": "1", refresh: "1", "cache-control": "no-store" },
  });
}
