import type { TelegramDocument, TelegramPhotoSize } from "@gramio/types/objects";
import { asCaption, captionText, type WrittenContent } from "../formatted-text.ts";
import { badRequest } from "../refusal.ts";
import type { FileRecord } from "../world.ts";
import { destination } from "./destination.ts";
import type { CallContext, Handlers } from "./handler.ts";
import { inlineMarkup } from "./markup.ts";
import { postAsBot } from "./sending.ts";

const LARGEST_UPLOAD = 50 * 1024 * 1024;
const LARGEST_PHOTO = 10 * 1024 * 1024;
const LARGEST_DOWNLOAD = 20 * 1024 * 1024;

/** The file a parameter names: an uploaded part (`attach://…`) or a known file id. URLs are not fetched. */
function inputFile(context: CallContext, value: string, kind: "photo" | "document"): FileRecord {
  if (value.startsWith("attach://")) {
    const upload = context.files.get(value.slice("attach://".length));
    if (upload === undefined) throw badRequest(`there is no ${kind} in the request`);
    if (upload.bytes.length === 0) throw badRequest("file must be non-empty");
    const largest = kind === "photo" ? LARGEST_PHOTO : LARGEST_UPLOAD;
    if (upload.bytes.length > largest) throw badRequest(`file is too big`);
    return context.world.addFile(upload.name, upload.mimeType, upload.bytes, kind === "photo" ? "photos" : "documents");
  }
  const known = context.world.files.get(value);
  if (known === undefined) throw badRequest("wrong file identifier/HTTP URL specified");
  return known;
}

export function asDocument(file: FileRecord): TelegramDocument {
  return {
    file_id: file.fileId,
    file_unique_id: file.uniqueId,
    file_name: file.name,
    mime_type: file.mimeType,
    file_size: file.bytes.length,
  };
}

/** Two sizes of one photo, smallest first, as the platform lists them; both have the same bytes here. */
export function asPhoto(file: FileRecord): TelegramPhotoSize[] {
  const size = { file_id: file.fileId, file_unique_id: file.uniqueId, file_size: file.bytes.length };
  return [
    { ...size, width: 90, height: 60 },
    { ...size, width: 1280, height: 853 },
  ];
}

function captionFields(params: {
  caption?: string;
  parse_mode?: string;
  caption_entities?: Parameters<typeof captionText>[2];
}): WrittenContent {
  return asCaption(captionText(params.caption, params.parse_mode, params.caption_entities));
}

export const mediaMethods: Handlers<"sendPhoto" | "sendDocument" | "sendMediaGroup" | "getFile"> = {
  sendPhoto: (context, params) => {
    const place = destination(context, params);
    const caption = captionFields(params);
    const markup = inlineMarkup(params.reply_markup);
    const photo = asPhoto(inputFile(context, params.photo, "photo"));
    context.spend(place.chat, 1);
    return postAsBot(context, place, { photo, ...caption, ...(markup === undefined ? {} : { reply_markup: markup }) });
  },

  sendDocument: (context, params) => {
    const place = destination(context, params);
    const caption = captionFields(params);
    const markup = inlineMarkup(params.reply_markup);
    const document = asDocument(inputFile(context, params.document, "document"));
    context.spend(place.chat, 1);
    return postAsBot(context, place, {
      document,
      ...caption,
      ...(markup === undefined ? {} : { reply_markup: markup }),
    });
  },

  sendMediaGroup: (context, params) => {
    const place = destination(context, params);
    if (params.media.length < 2 || params.media.length > 10) {
      throw badRequest("wrong number of media in the album: 2-10 items are needed");
    }
    const group = `1300000000000${context.world.count("album")}`;
    const contents = params.media.map((item) => {
      if (item.type !== "photo" && item.type !== "document") {
        throw badRequest(`type "${item.type}" can't be used in sendMediaGroup of this emulator`);
      }
      const file = inputFile(context, item.media, item.type);
      const media = item.type === "photo" ? { photo: asPhoto(file) } : { document: asDocument(file) };
      return { ...media, ...captionFields(item), media_group_id: group };
    });
    if (new Set(params.media.map((item) => item.type)).size > 1) {
      throw badRequest("can't use the media of the specified type in the album");
    }
    context.spend(place.chat, contents.length);
    return contents.map((content) => postAsBot(context, place, content));
  },

  getFile: (context, params) => {
    const file = context.world.files.get(params.file_id);
    if (file === undefined) throw badRequest("wrong file_id or the file is temporarily unavailable");
    if (file.bytes.length > LARGEST_DOWNLOAD) throw badRequest("file is too big");
    return {
      file_id: file.fileId,
      file_unique_id: file.uniqueId,
      file_size: file.bytes.length,
      file_path: file.path,
    };
  },
};
