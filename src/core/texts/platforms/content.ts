/**
 * What an agent reads for content that a platform gives without words of a person. Each begins with its kind, so that nothing
 * inside it can be read as a command.
 */
export const discordContent = {
  activity: "Invitation: to join an activity in Discord",
  theme: "Theme: colors for the Discord app",
} as const;

interface Position {
  readonly latitude: number;
  readonly longitude: number;
}

const list = (items: readonly string[]): string => items.map((item) => `\n- ${item}`).join("");

export const telegramContent = {
  venue: (title: string, address: string, { latitude, longitude }: Position): string =>
    `Venue: ${title}, ${address} (${latitude}, ${longitude})`,
  location: ({ latitude, longitude }: Position, live: boolean): string =>
    `${live ? "Live location" : "Location"}: ${latitude}, ${longitude}`,
  contact: (who: string): string => `Contact: ${who}`,
  poll: (question: string, options: readonly string[], description: string | null): string =>
    `Poll: ${question}${description === null ? "" : `\n${description}`}${list(options)}`,
  dice: (emoji: string, value: number): string => `Dice: ${emoji} ${value}`,
  checklist: (title: string, tasks: readonly { readonly text: string; readonly done: boolean }[]): string =>
    `Checklist: ${title}${list(tasks.map(({ text, done }) => (done ? `[x] ${text}` : text)))}`,
  tasksDone: (done: readonly string[], undone: readonly string[]): string =>
    `Checklist tasks:${list([...done.map((task) => `done: ${task}`), ...undone.map((task) => `not done: ${task}`)])}`,
  tasksAdded: (tasks: readonly string[]): string => `Checklist tasks added:${list(tasks)}`,
  game: (title: string, description: string, text: string | null): string =>
    `Game: ${title}\n${description}${text === null ? "" : `\n${text}`}`,
  story: "Story: bots cannot see its content",
  invoice: (title: string, description: string): string => `Invoice: ${title}\n${description}`,
  giveaway: (winners: number, prize: string | null): string =>
    `Giveaway: ${winners} winners${prize === null ? "" : `, ${prize}`}`,
  giveawayWinners: (names: readonly string[]): string => `Giveaway winners:${list(names)}`,
  gift: (what: string, text: string | null): string => `Gift: ${what}${text === null ? "" : `\n${text}`}`,
  webApp: (button: string, data: string): string => `Web app (${button}): ${data}`,
  rich: (words: string): string => `Rich message: ${words}`,
  paidMedia: (stars: number): string => `Paid media: ${stars} stars`,
} as const;
