import { Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';

// People and how they sign in. They belong to no tenant.

/** A user of GitHub who signed in, with the encrypted tokens that GitHub gave. */
@Entity('person')
export class Person {
  @PrimaryColumn('bigint') githubId: number;
  @Column('text') login: string;
  @Column('text', { nullable: true }) name: string | null;
  @Column('text') avatarUrl: string;
  @Column('text', { nullable: true }) accessToken: string | null;
  @Column('timestamptz', { nullable: true }) accessExpiresAt: Date | null;
  @Column('text', { nullable: true }) refreshToken: string | null;
  @Column('timestamptz', { nullable: true }) refreshExpiresAt: Date | null;
  @Column('integer', { default: 0 }) tokensVersion: number;
  @Column('timestamptz', { default: () => "'-infinity'" }) refreshClaimedUntil: Date;
  @Column('uuid', { nullable: true }) lastWorkspace: string | null;
  @Column('timestamptz') createdAt: Date;
  @Column('timestamptz') updatedAt: Date;
}

/** A browser that is signed in. Only the hash of its id is stored. */
@Entity('session')
@ForeignKey('Person', ['person'], ['githubId'])
@Index('session_by_last_use', ['lastSeenAt'])
@Index('session_by_person', ['person'], { where: 'ended_at is null' })
export class Session {
  @PrimaryColumn('bytea') idHash: Buffer;
  @Column('bigint') person: number;
  @Column('uuid', { nullable: true }) workspace: string | null;
  @Column('timestamptz') createdAt: Date;
  @Column('timestamptz') lastSeenAt: Date;
  @Column('timestamptz', { nullable: true }) endedAt: Date | null;
}

/** A sign-in that GitHub has not answered yet. */
@Entity('login_attempt')
@Index('login_attempt_by_time', ['begunAt'])
export class LoginAttempt {
  @PrimaryColumn('bytea') secretHash: Buffer;
  @Column('text') returnTo: string;
  @Column('timestamptz') begunAt: Date;
}
