import { Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';

// Users and their sign-ins. They belong to no tenant.

/** A user of GitHub who signed in, with the encrypted tokens that GitHub gave. */
@Entity('user_account')
export class UserAccount {
  @PrimaryColumn('bigint') githubId: number;
  @Column('text') login: string;
  @Column('text', { nullable: true }) name: string | null;
  @Column('text') avatarUrl: string;
  @Column('text', { nullable: true }) accessToken: string | null;
  @Column('timestamptz', { nullable: true }) accessExpiresAt: Date | null;
  @Column('text', { nullable: true }) refreshToken: string | null;
  @Column('timestamptz', { nullable: true }) refreshExpiresAt: Date | null;
  @Column('integer', { default: 0 }) tokensVersion: number;
  @Column('timestamptz', { default: () => "'-infinity'" }) refreshLeasedUntil: Date;
  @Column('uuid', { nullable: true }) lastWorkspaceId: string | null;
  @Column('timestamptz') createdAt: Date;
  @Column('timestamptz') updatedAt: Date;
}

/** A browser that is signed in. Only the hash of its id is stored. */
@Entity('session')
@ForeignKey('UserAccount', ['userId'], ['githubId'])
@Index('session_by_last_use', ['lastSeenAt'])
@Index('session_by_user', ['userId'], { where: 'ended_at is null' })
export class Session {
  @PrimaryColumn('bytea') idHash: Buffer;
  @Column('bigint') userId: number;
  @Column('uuid', { nullable: true }) workspaceId: string | null;
  @Column('timestamptz') createdAt: Date;
  @Column('timestamptz') lastSeenAt: Date;
  @Column('timestamptz', { nullable: true }) endedAt: Date | null;
}

/** A sign-in that GitHub has not answered yet. */
@Entity('login_attempt')
@Index('login_attempt_by_time', ['startedAt'])
export class LoginAttempt {
  @PrimaryColumn('bytea') secretHash: Buffer;
  @Column('text') returnTo: string;
  @Column('timestamptz') startedAt: Date;
}
