import { Check, Column, Entity, ForeignKey, Index, PrimaryColumn, Unique } from 'typeorm';
import type { OrgId } from '../ids.js';

// Projects of several repositories.

/** A project of a workspace. */
@Entity('project')
@Unique(['orgId', 'lowerName'])
@ForeignKey('Organization', ['orgId'], ['orgId'])
@Check('project_check', '(description is null) = (lower_description is null)')
@Index('project_by_update', { synchronize: false })
export class Project {
  @PrimaryColumn('uuid') orgId: OrgId;
  @PrimaryColumn('uuid') id: string;
  @Column('text') name: string;
  @Column({ type: 'text', collation: 'C' }) lowerName: string;
  @Column('text', { nullable: true }) description: string | null;
  @Column({ type: 'text', nullable: true, collation: 'C' }) lowerDescription: string | null;
  @Column('date', { nullable: true }) targetDate: string | null;
  @Column('timestamptz') createdAt: Date;
  @Column('timestamptz') updatedAt: Date;
}

/** A repository of a project, and its release that the project waits for. */
@Entity('project_repository')
@ForeignKey('Project', ['orgId', 'projectId'], ['orgId', 'id'], { onDelete: 'CASCADE' })
@ForeignKey('Release', ['orgId', 'releaseId'], ['orgId', 'id'])
@ForeignKey('Repository', ['orgId', 'repositoryId'], ['orgId', 'id'])
export class ProjectRepository {
  @PrimaryColumn('uuid') orgId: OrgId;
  @PrimaryColumn('uuid') projectId: string;
  @PrimaryColumn('uuid') repositoryId: string;
  @Column('uuid', { nullable: true }) releaseId: string | null;
}
