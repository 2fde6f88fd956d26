/* Messages the server has not taken yet, in this browser: a reload or a closed page loses none of them. Files are not kept. */

const KEY = "unsent";

function read() {
  try {
    const kept = JSON.parse(localStorage.getItem(KEY) ?? "[]");
    return Array.isArray(kept) ? kept : [];
  } catch (error) {
    console.info("unsent messages could not be read", error);
    return [];
  }
}

function write(messages) {
  if (messages.length === 0) localStorage.removeItem(KEY);
  else localStorage.setItem(KEY, JSON.stringify(messages));
}

export const unsent = {
  /** Of every conversation, oldest first: `{id, url, text, at}`. */
  all: read,
  keep({ id, url, text, at }) {
    write([...read().filter((one) => one.id !== id), { id, url, text, at }]);
  },
  forget(id) {
    write(read().filter((one) => one.id !== id));
  },
};
