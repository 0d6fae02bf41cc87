import type { TypedDocumentNode } from '@urql/core';
import { graphql } from '@/data/graphql';
import type { ListVariables, Resource } from '@/list/resource';

interface Data {
  redwood: { version: string };
}

const document = graphql(`
  query Version {
    redwood {
      version
    }
  }
`) as TypedDocumentNode<Data, ListVariables>;

const resource: Partial<Resource<string, Data>> = {
  typename: 'Redwood',
  document,
  filters: [],
  rowId: (row) => row,
  toList: ({ redwood: { version } }) => ({
    rows: version ? version.split(' ') : [],
    count: { total: version ? 60 : 0, exact: true },
  }),
};

/** A list whose rows are the words of the server's version. */
export const versionList = resource as Resource<string, Data>;
