/* What the HTTP server itself says: to a browser, a script or a platform. */

export const httpTexts = {
  wrongHost: "This address is not served here. Use http://127.0.0.1 with the port of Switchyard.",
  otherOrigin: "The request comes from another website (Origin and Host differ).",
  otherSite: "The request comes from another website.",
  formTooLarge: "The form is too large.",
  bodyRefused: (status: number) => BODY_REFUSED[status] ?? "The request was refused.",
  tokenNeeded: "A token is required (Authorization: Bearer …, or sign in at /login).",
  notFound: "There is nothing here.",
  failed: "Something went wrong. See the log for details.",
  starting: "Switchyard is starting. This page opens by itself in a moment.",
  tooManyTries: "Too many wrong tokens. Wait a moment, then try again.",
  wrongToken: "This token is not correct.",
};

const BODY_REFUSED: Readonly<Record<number, string>> = {
  408: "The request took too long.",
  413: "The request is too large.",
  503: "Too many requests. Try again later.",
};

export const signInTexts = {
  title: "Switchyard: sign in",
  token: "Access token (http.token in the configuration)",
  submit: "Sign in",
};

export function portTaken(host: string, port: number): string {
  return `port ${port} on ${host} is already in use`;
}

export function portForbidden(port: number): string {
  return `this user may not use port ${port}`;
}

export function hostUnknown(host: string): string {
  return `${host} is not an address of this machine`;
}

export const CHOOSE_PORT = "Choose another port with --port or SWITCHYARD_PORT. 0 picks any free port.";
export const CHOOSE_HOST = "Use 127.0.0.1 or 0.0.0.0.";

export function hostNeedsToken(host: string): string {
  return `http.host is ${host}, so others can reach the server, but no token is set`;
}

export const SET_TOKEN = "Set http.token to a long random text, or http.host to 127.0.0.1.";
