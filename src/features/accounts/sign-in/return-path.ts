const MAX_LENGTH = 2000;
/** Stands for the service itself: whatever leads away from it leads away from any host. */
const HERE = 'http://here.invalid';
/** A second slash makes the rest a host; browsers read a backslash as one, and proxies decode what is escaped, even twice. */
const ANOTHER_HOST = /^\/(?:[/\\]|%(?:25)*(?:2f|5c))/i;
/** Browsers drop tabs and line breaks wherever they stand, so `/<tab>/host` is `//host` to them; escaped they mean nothing good. */
// eslint-disable-next-line no-control-regex -- control characters are what is looked for
const UNFIT = /[\u0000-\u0020\u007f\\]|%(?:25)*(?:[01][0-9a-f]|7f|5c)/i;
/** The way in and out: whoever were sent back there would go round in circles. */
const SIGN_IN = /^\/api\/auth(?:\/|$)/;

/**
 * A path of this service to go back to after the sign-in, with its query and fragment; null where the text could lead
 * anywhere else, in any browser, or is longer than 2,000 characters.
 */
export function readReturnPath(text: string): string | null {
  if (text.length > MAX_LENGTH || !text.startsWith('/') || UNFIT.test(text) || ANOTHER_HOST.test(text)) return null;
  if (!URL.canParse(text, HERE)) return null;
  const { origin, pathname, search, hash } = new URL(text, HERE);
  // Once `..` and `.` are resolved the path may begin with two slashes where it did not before.
  if (origin !== HERE || ANOTHER_HOST.test(pathname) || SIGN_IN.test(decoded(pathname) ?? '/api/auth')) return null;
  return pathname + search + hash;
}

function decoded(pathname: string): string | null {
  try {
    return decodeURIComponent(pathname);
  } catch {
    return null;
  }
}
