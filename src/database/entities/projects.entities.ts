import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { OrgId } from '../ids.js';

/** A project of a workspace. */
@Entity('project')
export class Project {
  @PrimaryColumn('uuid') orgId: OrgId;
  @PrimaryColumn('uuid') id: string;
  @Column('text') name: string;
  @Column('text') lowerName: string;
  @Column('text', { nullable: true }) description: string | null;
  @Column('text', { nullable: true }) lowerDescription: string | null;
  @Column('date', { nullable: true }) targetDate: string | null;
  @Column('timestamptz') createdAt: Date;
  @Column('timestamptz') updatedAt: Date;
}

/** A repository of a project, and its release that the project waits for. */
@Entity('project_repository')
export class ProjectRepository {
  @PrimaryColumn('uuid') orgId: OrgId;
  @PrimaryColumn('uuid') projectId: string;
  @PrimaryColumn('uuid') repositoryId: string;
  @Column('uuid', { nullable: true }) releaseId: string | null;
}
