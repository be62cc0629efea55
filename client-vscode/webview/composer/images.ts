/** Pictures that are pasted: what can be sent, and why something can't. The limits are the server's. Pure. */

import type { PastedImage } from "../../src/view/messages";
import { t } from "../l10n";

const TYPES = ["image/png", "image/jpeg", "image/gif", "image/webp"];
/** Characters of base64. */
const MOST_OF_ONE = 5 * 1024 * 1024;
const MOST_OF_ALL = 20 * 1024 * 1024;
const MOST = 20;
const MOST_PIXELS = 8000;

export interface Measured extends PastedImage {
  /** In pixels; undefined: the page could not read it as a picture. */
  readonly size: { readonly width: number; readonly height: number } | undefined;
}

/** Why a file of this type and size in bytes can't be sent, before it is read; null: it may. */
export function refuseFile(mimeType: string, bytes: number): string | null {
  if (!TYPES.includes(mimeType)) {
    return t("Only PNG, JPEG, GIF and WebP images can be sent, not {0}.", mimeType || t("this file"));
  }
  if (Math.ceil(bytes / 3) * 4 > MOST_OF_ONE) return t("The image is too large: at most {0} can be sent.", "3.7 MB");
  return null;
}

/** Why this picture can't go with those that are there; null: it can. */
export function refuseImage(image: Measured, there: readonly PastedImage[]): string | null {
  if (image.size === undefined) return t("The image can't be read.");
  if (Math.max(image.size.width, image.size.height) > MOST_PIXELS) {
    return t("The image is too large: at most {0} pixels on a side can be sent.", MOST_PIXELS);
  }
  if (image.data.length > MOST_OF_ONE) return t("The image is too large: at most {0} can be sent.", "3.7 MB");
  if (there.length >= MOST) return t("At most {0} images can go with a message.", MOST);
  const all = there.reduce((sum, each) => sum + each.data.length, image.data.length);
  if (all > MOST_OF_ALL) return t("The images are too large together: at most {0} can go with a message.", "15 MB");
  return null;
}
