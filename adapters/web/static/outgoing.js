const RETRY_MS = [1000, 2000, 5000, 10000];

/** Works where the page is not served over HTTPS, too. */
export function newId() {
  return [...crypto.getRandomValues(new Uint8Array(12))].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}

/**
 * Messages on their way: each stands in `list` until the log shows it. Sending one again under its id is safe, so a lost
 * connection is simply tried again; what the server refuses waits for the person's decision.
 */
export function createOutgoing(list, log) {
  function entry(id, text, files) {
    const item = document.createElement("li");
    item.className = "message person";
    item.dataset.id = id;
    const meta = document.createElement("div");
    meta.className = "meta";
    const name = document.createElement("b");
    name.textContent = "You";
    const state = document.createElement("span");
    state.className = "state";
    meta.append(name, state);
    const body = document.createElement("div");
    body.className = "body";
    body.textContent = text;
    item.append(meta, body, ...files.map((file) => chip(file.name)));
    return { item, state };
  }

  function chip(name) {
    const element = document.createElement("span");
    element.className = "file";
    element.textContent = name;
    return element;
  }

  /** The log has it now: the server's own words take over. */
  function settle() {
    for (const item of [...list.children]) {
      if (document.getElementById(`p-${item.dataset.id}`)) item.remove();
    }
  }
  new MutationObserver(settle).observe(log, { childList: true });

  async function attempt(url, message) {
    const form = new FormData();
    form.set("id", message.id);
    form.set("text", message.text);
    for (const file of message.files) form.append("file", file, file.name);
    try {
      const response = await fetch(url, { method: "POST", body: form });
      if (response.ok) return { done: true };
      const answer = await response.json().catch(() => ({}));
      return { done: false, again: response.status >= 500, problem: answer.problem ?? `not sent (${response.status})` };
    } catch {
      return { done: false, again: true, problem: "no connection" };
    }
  }

  async function send(url, text, files) {
    const message = { id: newId(), text, files };
    const { item, state } = entry(message.id, text, files);
    list.append(item);
    for (let tries = 0; ; tries += 1) {
      item.classList.remove("failed");
      state.textContent = tries === 0 ? "sending …" : "sending again …";
      const result = await attempt(url, message);
      if (result.done) {
        state.textContent = "✓ delivered";
        settle();
        return;
      }
      item.classList.add("failed");
      state.textContent = result.again ? `${result.problem}, trying again soon` : result.problem;
      if (result.again)
        await new Promise((resolve) => setTimeout(resolve, RETRY_MS[Math.min(tries, RETRY_MS.length - 1)]));
      else {
        const choice = await decision(state);
        if (choice === "discard") {
          item.remove();
          return;
        }
        // The refused message was taken back, so this is a new one.
        message.id = newId();
        item.dataset.id = message.id;
      }
    }
  }

  function decision(state) {
    return new Promise((resolve) => {
      for (const [label, choice] of [
        ["Send again", "again"],
        ["Discard", "discard"],
      ]) {
        const button = document.createElement("button");
        button.type = "button";
        button.className = "quiet";
        button.textContent = label;
        button.addEventListener("click", () => resolve(choice), { once: true });
        state.append(button);
      }
    });
  }

  return { send };
}
