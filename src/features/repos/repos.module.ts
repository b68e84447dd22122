import { Module } from '@nestjs/common';
import { EventsModule } from '../events/events.module.js';
import { PlanRoom } from './plan-room.recorder.js';
import { ReposReader } from './repos.reader.js';

@Module({ imports: [EventsModule], providers: [PlanRoom, ReposReader], exports: [PlanRoom, ReposReader] })
export class ReposModule {}
