/** Reads a pasted file as base64 and measures it. It knows the browser, not the composer. */

import type { Measured } from "./images";

/** Never throws: what can't be read has no size. */
export async function readImage(file: File): Promise<Measured> {
  const [data, size] = await Promise.all([base64(file), measure(file)]);
  return { mimeType: file.type, data: data ?? "", size: data === undefined ? undefined : size };
}

function base64(file: File): Promise<string | undefined> {
  return new Promise((resolve) => {
    const reader = new FileReader();
    reader.onerror = () => resolve(undefined);
    reader.onload = () => {
      const url = typeof reader.result === "string" ? reader.result : "";
      resolve(url.slice(url.indexOf(",") + 1));
    };
    reader.readAsDataURL(file);
  });
}

async function measure(file: File): Promise<Measured["size"]> {
  try {
    const bitmap = await createImageBitmap(file);
    const { width, height } = bitmap;
    bitmap.close();
    return { width, height };
  } catch {
    return undefined;
  }
}
