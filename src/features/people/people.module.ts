import { Module } from '@nestjs/common';
import { PeopleReader } from './people.reader.js';
import { PeopleRepository } from './people.repository.js';
import { TokenSeals } from './token-seals.js';
import { UserTokens } from './user-tokens.service.js';

@Module({ providers: [PeopleReader, PeopleRepository, TokenSeals, UserTokens], exports: [PeopleReader, UserTokens] })
export class PeopleModule {}
