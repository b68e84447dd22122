import { Module } from '@nestjs/common';
import { EventsRecorder } from './events.repository.js';

/** The log of what changed in a workspace. */
@Module({ providers: [EventsRecorder], exports: [EventsRecorder] })
export class EventsModule {}
