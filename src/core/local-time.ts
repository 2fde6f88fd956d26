/** Times as people in a time zone read them. Building a formatter costs about a millisecond, so they are kept per zone. */
export interface LocalTime {
  /** `2026-11-30 14:05 Europe/Vienna`. */
  minute(at: number, timeZone: string): string;
  /** `2026-11-30`. */
  day(at: number, timeZone: string): string;
}

export function createLocalTime(): LocalTime {
  const formatters = new Map<string, Intl.DateTimeFormat>();
  const text = (at: number, timeZone: string): string => {
    let formatter = formatters.get(timeZone);
    if (formatter === undefined) {
      // Swedish writes ISO order: date, space, time.
      formatter = new Intl.DateTimeFormat("sv-SE", { timeZone, dateStyle: "short", timeStyle: "short" });
      formatters.set(timeZone, formatter);
    }
    return formatter.format(at);
  };
  return {
    minute: (at, timeZone) => `${text(at, timeZone)} ${timeZone}`,
    day: (at, timeZone) => text(at, timeZone).slice(0, 10),
  };
}
