/** The type of its elements, `text`, in the catalogue of every Postgres. */
const TEXT_OID = 25;
const INT_BYTES = 4;
/** Dimensions, whether there are nulls, type, length, and the number of the first element. */
const HEAD_BYTES = 5 * INT_BYTES;

/**
 * A parameter of type `text[]` in Postgres' binary form, of texts that are UTF-8 already: nothing of them is decoded, escaped or
 * searched for quotes. Source: PostgreSQL, `array_send`.
 */
export function textArray(texts: readonly (Buffer | null)[]): Buffer {
  const size = texts.reduce((sum, text) => sum + INT_BYTES + (text?.length ?? 0), HEAD_BYTES);
  const array = Buffer.allocUnsafe(size);
  let at = 0;
  const put = (number: number): void => void (at = array.writeInt32BE(number, at));
  [1, texts.includes(null) ? 1 : 0, TEXT_OID, texts.length, 1].forEach(put);
  for (const text of texts) {
    put(text?.length ?? -1);
    at += text?.copy(array, at) ?? 0;
  }
  return array;
}
