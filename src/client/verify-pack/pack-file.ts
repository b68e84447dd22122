import { type FileHandle, open } from 'node:fs/promises';

/** The size of one read, because the next requested bytes usually follow. */
const WINDOW_BYTES = 1_048_576;

/** A file with random access that may be larger than the memory. */
export class PackFile {
  private window: { readonly offset: number; readonly bytes: Buffer } = { offset: 0, bytes: Buffer.alloc(0) };

  private constructor(
    private readonly handle: FileHandle,
    readonly size: number,
  ) {}

  /** Opens the file for `work` and closes it in every case. */
  static async with<T>(path: string, work: (file: PackFile) => Promise<T>): Promise<T> {
    const handle = await open(path, 'r');
    try {
      return await work(new PackFile(handle, (await handle.stat()).size));
    } finally {
      await handle.close();
    }
  }

  /** Returns the bytes at the offset; fewer at the end of the file. The caller must not change them. */
  async read(offset: number, length: number): Promise<Buffer> {
    const available = Math.max(0, Math.min(length, this.size - offset));
    const start = offset - this.window.offset;
    if (start < 0 || start + available > this.window.bytes.length) {
      this.window = { offset, bytes: await this.load(offset, Math.max(available, WINDOW_BYTES)) };
      return this.window.bytes.subarray(0, available);
    }
    return this.window.bytes.subarray(start, start + available);
  }

  private async load(offset: number, length: number): Promise<Buffer> {
    const bytes = Buffer.alloc(Math.max(0, Math.min(length, this.size - offset)));
    let read = 0;
    while (read < bytes.length) {
      const { bytesRead } = await this.handle.read(bytes, read, bytes.length - read, offset + read);
      if (bytesRead === 0) break;
      read += bytesRead;
    }
    return bytes.subarray(0, read);
  }
}
