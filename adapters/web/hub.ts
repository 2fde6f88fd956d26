import { type Route, sameRoute } from "../../src/core/delivery/route.ts";
import { createEventStream, type EventStream, type Frame } from "./event-stream.ts";

/** Everybody who looks at the page right now, by the conversation they look at. */
export interface Hub {
  /** From now on the viewer is told everything; what it is told waits until the stream is opened with its snapshot. */
  join(route: Route): EventStream;
  publish(route: Route, frame: Frame): void;
  /** To every viewer, made for the conversation that viewer looks at. */
  publishToAll(frame: (route: Route) => Frame): void;
  /** How many pages are open. */
  viewers(): number;
  /** Ends every stream. */
  close(): void;
}

export function createHub(): Hub {
  const viewers = new Map<EventStream, Route>();
  return {
    join(route) {
      const stream: EventStream = createEventStream(() => viewers.delete(stream));
      viewers.set(stream, route);
      return stream;
    },
    publish(route, frame) {
      for (const [stream, viewed] of viewers) if (sameRoute(route, viewed)) stream.send(frame);
    },
    publishToAll(frame) {
      for (const [stream, viewed] of viewers) stream.send(frame(viewed));
    },
    viewers: () => viewers.size,
    close() {
      for (const stream of [...viewers.keys()]) stream.close();
    },
  };
}
