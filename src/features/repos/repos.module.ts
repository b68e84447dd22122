import { Module } from '@nestjs/common';
import { PlanRoom } from './plan-room.recorder.js';
import { ReposReader } from './repos.reader.js';

@Module({ providers: [PlanRoom, ReposReader], exports: [PlanRoom, ReposReader] })
export class ReposModule {}
