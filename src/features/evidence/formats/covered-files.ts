import type { FileCoverage } from './coverage-counts.js';
import { CoveredFile } from './covered-file.js';

/**
 * The files of a report, each once. Modules and packages are rooms of their own rather than the beginnings of paths, so
 * that a name is looked at as often as it is written, and not once for each file under it.
 */
export class CoveredFiles {
  private readonly files = new Map<string, CoveredFile>();
  private readonly rooms = new Map<string, CoveredFiles>();

  constructor(private readonly path = '') {}

  /** The files of a module or package: one of the same name elsewhere is another file. */
  within(name: string): CoveredFiles {
    const room = this.rooms.get(name) ?? new CoveredFiles(`${this.path}${name}/`);
    this.rooms.set(name, room);
    return room;
  }

  /** The same file from a Windows runner and a Linux one is one file. */
  at(name: string): CoveredFile {
    const key = name.replaceAll('\\', '/');
    const file = this.files.get(key) ?? new CoveredFile(this.path + key);
    this.files.set(key, file);
    return file;
  }

  *coverage(): Generator<FileCoverage> {
    const rooms: CoveredFiles[] = [this];
    // Not by recursion: a file would be handed up through every room around it.
    for (const room of rooms) {
      for (const file of room.files.values()) yield file.coverage();
      for (const inner of room.rooms.values()) rooms.push(inner);
    }
  }
}
