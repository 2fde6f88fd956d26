import { writeFile } from "node:fs/promises";
import { picturePage, pictures } from "./page.ts";

/** `npm run pictures`: makes `pictures.html` anew. */
await writeFile(new URL("./pictures.html", import.meta.url), await picturePage(await pictures()));
