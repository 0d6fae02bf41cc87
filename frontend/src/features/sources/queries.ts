import { graphql, type ResultOf } from '@/data/graphql';

export const sourcesQuery = graphql(`
  query SourcesPage($page: PageOptions, $where: [Filter!]) {
    sources(page: $page) {
      id
      name
      isActive
      createdAt
      updatedAt
    }
    sourcesCount(where: $where) {
      total
      exact
    }
  }
`);

export const sourcesByStatusQuery = graphql(`
  query SourcesByStatus($all: [Filter!], $active: [Filter!], $disabled: [Filter!]) {
    all: sourcesCount(where: $all) {
      total
      exact
    }
    active: sourcesCount(where: $active) {
      total
      exact
    }
    disabled: sourcesCount(where: $disabled) {
      total
      exact
    }
  }
`);

export const sourceQuery = graphql(`
  query ViewSource($id: String!) {
    source(id: $id) {
      id
      name
      isActive
      podRequirement
      createdAt
      createdBy
      updatedAt
      updatedBy
      version
    }
  }
`);

/** Reads who changed the source last, after a version conflict. */
export const sourceVersionQuery = graphql(`
  query SourceVersion($id: String!) {
    current: source(id: $id) {
      version
      updatedAt
      updatedBy
    }
  }
`);

export const sourceImportsQuery = graphql(`
  query SourceImports($page: PageOptions, $uploads: [Filter!], $deliveries: [Filter!]) {
    uploadLogs(page: $page) {
      id
      filename
      status
      deliveriesCreated
      uploadedBy
      createdAt
    }
    uploadLogsCount(where: $uploads) {
      total
      exact
    }
    deliveriesCount(where: $deliveries) {
      total
      exact
    }
  }
`);

export const createSourceMutation = graphql(`
  mutation CreateSource($input: CreateSourceInput!) {
    createSource(input: $input) {
      id
      name
    }
  }
`);

export const updateSourceMutation = graphql(`
  mutation UpdateSource($input: UpdateSourceInput!) {
    updateSource(input: $input) {
      id
      isActive
      version
    }
  }
`);

export type SourceRow = ResultOf<typeof sourcesQuery>['sources'][number];
export type Source = NonNullable<ResultOf<typeof sourceQuery>['source']>;
