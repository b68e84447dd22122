import { Module } from '@nestjs/common';
import { EventsRepository } from './events.repository.js';

/** Provides the event log of a workspace. */
@Module({ providers: [EventsRepository], exports: [EventsRepository] })
export class EventsModule {}
