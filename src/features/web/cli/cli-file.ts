import { existsSync, readFileSync } from 'node:fs';
import { SERVICE_VERSION, SUPPORTED_NODE } from '../../../config/service-version.js';
import { sha256 } from '../../../crypto/digests.js';
import { DomainError } from '../../../http/errors/domain-error.js';
import { SharedDocument } from '../../../http/shared-document.js';
import type { CliDescriptionDto } from './cli.dto.js';

export const CLI_FILE_NAME = 'shipgate.cjs';

/** The built command-line tool: beside this code if it is built too, else in the output folder. */
const BUILT = ['../../../../cli/', '../../../../dist/cli/']
  .map((folder) => new URL(folder + CLI_FILE_NAME, import.meta.url))
  .find((file) => existsSync(file));

interface ReadFile {
  readonly content: SharedDocument;
  /** A line that `sha256sum --check` reads. */
  readonly checksum: SharedDocument;
  readonly description: SharedDocument;
}

/** The built command-line tool of this version. It is read once at the start. */
export class CliFile {
  readonly #file: ReadFile | null;

  /** Without a location, or if there is no file, the build has no command-line tool. */
  constructor(location: URL | undefined = BUILT) {
    this.#file = location !== undefined && existsSync(location) ? readTool(readFileSync(location)) : null;
  }

  /** Throws `not_found` if the build has no command-line tool. */
  get(): ReadFile {
    if (this.#file === null) {
      throw new DomainError('not_found', 'This build of the service does not contain the command-line tool.');
    }
    return this.#file;
  }
}

function readTool(bytes: Buffer): ReadFile {
  const digest = sha256(bytes);
  const description: CliDescriptionDto = {
    version: SERVICE_VERSION,
    sha256: digest,
    size: bytes.length,
    node: SUPPORTED_NODE,
  };
  return {
    content: new SharedDocument(bytes),
    checksum: new SharedDocument(`${digest}  ${CLI_FILE_NAME}\n`),
    description: new SharedDocument(JSON.stringify(description)),
  };
}
