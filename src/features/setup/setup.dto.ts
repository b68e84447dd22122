import { ApiProperty } from '@nestjs/swagger';
import { IsString, Length, Matches } from 'class-validator';

const LINE = /^[\x21-\x7e]+$/;

/** The set-up code, and the credentials that GitHub shows for the app. */
export class SetupRequest {
  @ApiProperty({ example: '7XK2M-Q0V9D-3HTRA-WZ8PE' })
  @IsString()
  @Length(1, 64)
  setupCode!: string;

  /** The id of the app, in digits. */
  @ApiProperty({ example: '123456' })
  @Matches(/^[1-9]\d{0,14}$/, { message: 'appId must be the id of the app, in digits' })
  appId!: string;

  @ApiProperty({ example: 'Iv23liAbCdEfGhIjKlMn' })
  @IsString()
  @Length(1, 255)
  @Matches(LINE, { message: 'clientId must consist of printable characters without spaces' })
  clientId!: string;

  @ApiProperty({ example: 'a client secret' })
  @IsString()
  @Length(1, 255)
  @Matches(LINE, { message: 'clientSecret must consist of printable characters without spaces' })
  clientSecret!: string;

  /** The secret that signs the webhooks of the app. */
  @ApiProperty({ example: 'a webhook secret' })
  @IsString()
  @Length(1, 255)
  webhookSecret!: string;

  /** The RSA key in the PEM format of GitHub. Line breaks may be written as `\n`. */
  @ApiProperty({ example: '-----BEGIN RSA PRIVATE KEY-----\n…\n-----END RSA PRIVATE KEY-----\n' })
  @IsString()
  @Length(1, 16_384)
  privateKey!: string;
}

/** The app after the set-up. */
export class SetupResult {
  @ApiProperty({ example: true })
  configured!: boolean;

  /** The name of the app in URLs, from GitHub. */
  @ApiProperty({ example: 'shipgate' })
  appSlug!: string;

  /** The page on which an organization installs the app. */
  @ApiProperty({ example: 'https://github.com/apps/shipgate/installations/new' })
  installUrl!: string;
}

/** The public status of the service. */
export class ConfigStatus {
  /** Whether the GitHub App is set up. */
  @ApiProperty({ example: true })
  configured!: boolean;

  /** Null until the app is set up. */
  @ApiProperty({ type: String, nullable: true, example: 'shipgate' })
  appSlug!: string | null;

  /** The page on which an organization installs the app. Null until the app is set up. */
  @ApiProperty({ type: String, nullable: true, example: 'https://github.com/apps/shipgate/installations/new' })
  installUrl!: string | null;

  /** The address of the sign-in. Null until the app is set up. */
  @ApiProperty({ type: String, nullable: true, example: 'https://shipgate.example.com/api/auth/login' })
  loginUrl!: string | null;

  /** Whether plans limit the managed repositories. */
  @ApiProperty({ example: true })
  billing!: boolean;

  /** The audience for which CI runs must request their identity tokens. */
  @ApiProperty({ example: 'shipgate' })
  audience!: string;

  /** The address of GitHub's pages, without a trailing slash: that of a GitHub Enterprise Server, or github.com. */
  @ApiProperty({ format: 'uri', example: 'https://github.com' })
  githubUrl!: string;

  /** The version of the service. */
  @ApiProperty({ example: '0.1.0' })
  version!: string;
}
