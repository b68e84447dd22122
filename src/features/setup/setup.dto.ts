import { ApiProperty } from '@nestjs/swagger';
import { IsString, Length, Matches } from 'class-validator';

const LINE = /^[\x21-\x7e]+$/;

/** The code from the service's console, and what GitHub shows of the app. */
export class SetupRequest {
  @ApiProperty({ example: '7XK2M-Q0V9D-3HTRA-WZ8PE' })
  @IsString()
  @Length(1, 64)
  setupCode!: string;

  /** The app's id, in digits. */
  @ApiProperty({ example: '123456' })
  @Matches(/^[1-9]\d{0,14}$/, { message: 'appId must be the id of the app, in digits' })
  appId!: string;

  @ApiProperty({ example: 'Iv23liAbCdEfGhIjKlMn' })
  @IsString()
  @Length(1, 255)
  @Matches(LINE, { message: 'clientId must be a word of printable characters' })
  clientId!: string;

  @ApiProperty({ example: 'a client secret' })
  @IsString()
  @Length(1, 255)
  @Matches(LINE, { message: 'clientSecret must be a word of printable characters' })
  clientSecret!: string;

  /** What the app's webhooks are signed with. */
  @ApiProperty({ example: 'a webhook secret' })
  @IsString()
  @Length(1, 255)
  webhookSecret!: string;

  /** RSA, in PEM as GitHub hands it out; `\n` may stand for its line breaks. */
  @ApiProperty({ example: '-----BEGIN RSA PRIVATE KEY-----\n…\n-----END RSA PRIVATE KEY-----\n' })
  @IsString()
  @Length(1, 16_384)
  privateKey!: string;
}

/** That the app is set up. */
export class SetupResult {
  @ApiProperty({ example: true })
  configured!: boolean;

  /** The app's name in addresses, as GitHub gave it. */
  @ApiProperty({ example: 'shipgate' })
  appSlug!: string;

  /** Where an organization installs the app. */
  @ApiProperty({ example: 'https://github.com/apps/shipgate/installations/new' })
  installUrl!: string;
}

/** What anybody may know of the service before they sign in. */
export class ConfigStatus {
  /** Whether the GitHub App is set up. */
  @ApiProperty({ example: true })
  configured!: boolean;

  /** Null until the app is set up. */
  @ApiProperty({ type: String, nullable: true, example: 'shipgate' })
  appSlug!: string | null;

  /** Where an organization installs the app; null until it is set up. */
  @ApiProperty({ type: String, nullable: true, example: 'https://github.com/apps/shipgate/installations/new' })
  installUrl!: string | null;

  /** Where a person signs in; null until the app is set up. */
  @ApiProperty({ type: String, nullable: true, example: 'https://shipgate.example.com/api/auth/login' })
  loginUrl!: string | null;

  /** Whether plans limit anything. */
  @ApiProperty({ example: true })
  billing!: boolean;

  /** The version of the service. */
  @ApiProperty({ example: '0.1.0' })
  version!: string;
}
