/** A file that is made of items while it is read. */
export interface ExportFile<Item> {
  /** Of letters, digits, hyphens and dots alone. */
  readonly name: string;
  readonly contentType: string;
  /** Of a file that a browser might show; null leaves it with what every answer has. */
  readonly securityPolicy: string | null;
  readonly items: AsyncIterable<Item>;
  readonly write: (items: AsyncIterable<Item>) => AsyncIterable<string | Uint8Array>;
}
