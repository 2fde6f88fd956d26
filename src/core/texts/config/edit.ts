/* What the commands that change the configuration file answer. */

export function notAPath(written: string): string {
  return `"${written}" is not a valid path. Use one such as agents.defaults.model or channels.telegram.groups["-100555"].`;
}

export const LISTED_ALREADY = "This value is already in the list.";
export const COMMENTS_LOST = "This value contains comments, which would be lost. Edit the file instead.";
export const NO_SUCH_PATH = "The file has no such path.";
export const NOT_A_LIST = "This is not a list.";
export const NOT_SET = "It is not set.";
export const WHOLE_FILE = "A command cannot remove the whole file.";
export const TOO_COMPLEX = "A command cannot change this part of the file. Edit the file instead.";
export const CHANGED_MEANWHILE = "The file was changed in the meantime. Try again.";
export const SECRET_IN_CHAT = `Do not send secrets in a chat. Put the secret in .env, and write "\${NAME}" in the file.`;

/** FC-409: what names programs, files, variables, or addresses that receive a key. */
export const FILE_ONLY = "A chat command cannot change this. Edit the file instead.";

export function atPath(path: string, problem: string): string {
  return `${path}: ${problem}`;
}
