const CUSTOM = /^<?a?:?(\w{2,32}:\d{15,21})>?$/;

/** An emoji as it is, or a server's own as `name:id`; also as Discord copies it, `<:name:id>`. */
export function readReaction(text: string): string | null {
  const custom = CUSTOM.exec(text)?.[1];
  if (custom !== undefined) return custom;
  return /^\p{RGI_Emoji}$/v.test(text) ? text : null;
}
