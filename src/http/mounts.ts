import type { HttpHandler, MountAccess } from "../channel/adapter.ts";

export interface Mount {
  readonly prefix: string;
  readonly handler: HttpHandler;
  readonly access: MountAccess;
}

export interface Mounts {
  /** Mounting a prefix again replaces its handler: only the current generation of an adapter serves (CH-6). */
  mount(prefix: string, handler: HttpHandler, access?: MountAccess): void;
  unmount(prefix: string): void;
  /** The mount with the longest prefix of a path. A prefix ends at a `/` or at the path's end: `/web` serves `/web/x`, not `/website`. */
  find(path: string): Mount | null;
}

/** The handlers that adapters serve over the one HTTP server: the chat page, webhooks (CH-4). Throws on a bad prefix. */
export function createMounts(): Mounts {
  const mounts = new Map<string, Mount>();
  return {
    mount(prefix, handler, access = "operator") {
      if (!/^(\/[A-Za-z0-9._~-]+)+$/.test(prefix)) throw new Error(`"${prefix}" is not a mount prefix such as /web`);
      mounts.set(prefix, { prefix, handler, access });
    },
    unmount: (prefix) => {
      mounts.delete(prefix);
    },
    find(path) {
      for (let end = path.length; end > 0; end = path.lastIndexOf("/", end - 1)) {
        const mount = mounts.get(path.slice(0, end));
        if (mount !== undefined) return mount;
      }
      return null;
    },
  };
}
