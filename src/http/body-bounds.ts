/** What the bodies of one kind of route may take. */
export interface BodyBounds {
  /** Of one body. */
  readonly bytes: number;
  /** From the request to the body's last byte. */
  readonly ms: number;
  /** Of all bodies that are being read now. */
  readonly totalBytes: number;
}

/** FC-401: a webhook is a few kilobytes, and the platforms send it at once. */
export const PUBLIC_BODIES: BodyBounds = { bytes: 1_048_576, ms: 10_000, totalBytes: 16 * 1_048_576 };

/** A body that was not read to its end; the request's answer says why. */
export class BodyRefused extends Error {
  override readonly name = "BodyRefused";
  readonly status: 408 | 413 | 503;

  constructor(status: 408 | 413 | 503) {
    super(`the body of the request is refused (${status})`);
    this.status = status;
  }
}

interface Reading {
  bytes: number;
  refuse(status: 408 | 413 | 503): void;
}

/**
 * Bounds the bodies of requests whose senders are not known yet. Reading one beyond its bounds fails with `BodyRefused`. When all
 * together take too much, the largest gives way: a flood cannot push out the small ones that platforms send.
 */
export function createBodyBounds({ bytes, ms, totalBytes }: BodyBounds): (request: Request) => Request {
  const readings = new Set<Reading>();
  let total = 0;

  function bounded(source: ReadableStream<Uint8Array>): ReadableStream<Uint8Array> {
    const reader = source.getReader();
    let timer: NodeJS.Timeout | undefined;
    let reading: Reading | null = null;
    const forget = (): void => {
      clearTimeout(timer);
      if (reading === null || !readings.delete(reading)) return;
      total -= reading.bytes;
    };
    return new ReadableStream<Uint8Array>({
      start: (controller) => {
        const refuse = (status: 408 | 413 | 503): void => {
          forget();
          controller.error(new BodyRefused(status));
          reader.cancel().catch(() => undefined);
        };
        reading = { bytes: 0, refuse };
        readings.add(reading);
        timer = setTimeout(() => refuse(408), ms);
        timer.unref();
      },
      pull: async (controller) => {
        const { done, value } = await reader.read();
        if (reading === null || !readings.has(reading)) return;
        if (done) {
          forget();
          controller.close();
          return;
        }
        reading.bytes += value.length;
        total += value.length;
        if (reading.bytes > bytes) reading.refuse(413);
        else if (total > totalBytes) largest(readings)?.refuse(503);
        if (readings.has(reading)) controller.enqueue(value);
      },
      cancel: async (reason) => {
        forget();
        await reader.cancel(reason);
      },
    });
  }

  return (request) => {
    if (Number(request.headers.get("content-length") ?? 0) > bytes) throw new BodyRefused(413);
    if (request.method === "GET" || request.method === "HEAD" || request.body === null) return request;
    const init: RequestInit & { duplex: "half" } = {
      method: request.method,
      headers: request.headers,
      body: bounded(request.body),
      duplex: "half",
    };
    return new Request(request.url, init);
  };
}

function largest(readings: ReadonlySet<Reading>): Reading | undefined {
  return [...readings].reduce<Reading | undefined>(
    (most, one) => (most === undefined || one.bytes > most.bytes ? one : most),
    undefined,
  );
}
