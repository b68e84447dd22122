import { Module } from '@nestjs/common';
import { WorkspaceReader } from './workspace.reader.js';

/** Which workspaces there are, for whoever must know before it acts in one. Expects the app to provide the database. */
@Module({ providers: [WorkspaceReader], exports: [WorkspaceReader] })
export class WorkspacesModule {}
