/* What `switchyard --help` and `switchyard <command> --help` say. */

export const PROGRAM_SUMMARY = "A self-hosted bridge between chat platforms and AI agents";
export const SEE_HELP = "Run it with --help to see how to use it.";

export const HELP = {
  config: "path of the configuration file",
  json: "print JSON",
  limit: "maximum number of entries",
  limitMessages: "maximum number of messages",
  session: "session key or session id from `switchyard sessions`, or main",

  start: "Start Switchyard",
  port: "port of the chat page; 0 picks any free port",
  status: "Show the process, its accounts, and pending or failed work",
  sessions: "List sessions, most recently used first",
  sessionsSearch: "only sessions whose key, label or name contains this text",
  history: "Show the latest messages of a session",
  export: "Export the transcript of a session, with secrets masked",
  exportFormat: "format of the file",
  exportRaw: "export the stored rows unchanged as JSON lines; secrets are not masked",
  exportOut: "write to this file instead of the terminal",
  send: "Send a message to a session; the reply goes to the session's last conversation",
  sendText: "text to send, with or without quotes",

  deliveries: "Show sent and failed messages",
  deliveriesFailed: "only failed and unconfirmed deliveries",
  deliveriesState: "only deliveries in this state",
  deliveriesChannel: "only deliveries to this channel",
  deliveriesAccount: "only deliveries by this account",
  deliveriesTo: "only deliveries to this conversation or thread (platform id)",
  deliveriesSession: "only deliveries of this session",
  deliveriesSince: "only deliveries of the last 20m, 2h, 3d …",
  deliveryId: "number of the delivery",
  deliveryOrRun: "number of the delivery, or id of the run",
  deliveriesShow: "Show the full history of a delivery: what it answers, where it goes and why, and every attempt",
  deliveriesResults: "Show sub-agent results that could not be processed",
  deliveriesRetry: "Retry a failed or unconfirmed delivery, or a sub-agent result",
  deliveriesDismiss: "Dismiss a failed, unconfirmed or pending delivery",

  why: "Show what happened to a message, and why",
  whyMessage: "link to the message, its platform id, <channel>:<conversation>/<id>, or its event id from the log",

  pairing: "Approve or deny people who ask to use the bot",
  pairingList: "List pending requests and paired people",
  pairingApprove: "Approve a person for direct messages of that account",
  pairingDeny: "Deny a request; the person can ask again",
  pairingChannel: "name of the channel, such as telegram",
  pairingCode: "code that the person was shown",
  pairingOwner: "also make the person an owner, who can use every command",
  pairingAccount: "account of the channel, if it has several",

  forget: "Delete what one person wrote, and their access",
  forgetPerson: "channel and user id, such as telegram:111",
  forgetYes: "confirm; only a backup can undo this",

  configGroup: "Look at the configuration",
  configCheck: "Check the configuration and show who can use each account",
  db: "Maintain the store",
  dbMigrate: "Back up the store and update it to this version (`start` does this too)",
  dbBackup: "Back up the store and its media; also while Switchyard runs",
  dbBackupFile: "file or folder to write; default: the folder `backups` next to the store",
  doctor: "Check configuration, store, disk, clock, port, models and channels, and show how to fix problems",
  doctorCalls:
    "make no call to the models; by default each one gets one short request with all tools, which costs some thousand tokens",
  manifest: "Print the app manifest with the permissions and commands that are used",
  manifestUrl: "public address for events; without it, Switchyard connects to the platform",
} as const;

export function setUp(channel: string): string {
  return `Set up ${channel}`;
}

/* What an argument or option must look like. */
export const NUMBER_TO_1000 = "Use a number from 1 to 1000.";
export const DELIVERY_NUMBER = "Use a number from `switchyard deliveries`.";
export const TIME_SPAN = "Use a time such as 20m, 2h or 3d.";
export const COMMAND_MISSING = "a command is missing";
