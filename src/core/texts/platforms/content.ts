/**
 * What an agent reads for content that a platform gives without words of a person. Each begins with its kind, so that nothing
 * inside it can be read as a command.
 */
export const discordContent = {
  activity: "Invitation: to join an activity in Discord",
  theme: "Theme: colors for the Discord app",
} as const;
