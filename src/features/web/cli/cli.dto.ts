import { ApiProperty } from '@nestjs/swagger';

/** The command-line tool of this version. */
export class CliDescriptionDto {
  /** The version of the tool and of the service. */
  @ApiProperty({ example: '0.1.0' })
  version!: string;

  /** The SHA-256 of the file, as `sha256sum` prints it. */
  @ApiProperty({ example: '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08' })
  sha256!: string;

  /** In bytes. */
  @ApiProperty({ type: 'integer', minimum: 0, example: 1_204_331 })
  size!: number;

  /** The versions of Node on which it runs, as a semver range. */
  @ApiProperty({ example: '^20.19 || >=22.12' })
  node!: string;
}
