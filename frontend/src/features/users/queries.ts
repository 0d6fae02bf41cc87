import { graphql, type ResultOf } from '@/data/graphql';
import { sessionFragment } from '@/domain/sessions';

export const usersQuery = graphql(`
  query UsersPage($page: PageOptions, $where: [Filter!]) {
    users(page: $page) {
      id
      username
      displayName
      email
      roles
      status
      lastLoginAt
      createdAt
      createdBy
      version
    }
    usersCount(where: $where) {
      total
      exact
    }
  }
`);

export const usersByStatusQuery = graphql(`
  query UsersByStatus(
    $all: [Filter!]
    $active: [Filter!]
    $invited: [Filter!]
    $disabled: [Filter!]
  ) {
    all: usersCount(where: $all) {
      total
      exact
    }
    active: usersCount(where: $active) {
      total
      exact
    }
    invited: usersCount(where: $invited) {
      total
      exact
    }
    disabled: usersCount(where: $disabled) {
      total
      exact
    }
  }
`);

export const userQuery = graphql(
  `
    query ViewUser($id: String!) {
      user(id: $id) {
        id
        username
        displayName
        email
        roles
        status
        lastLoginAt
        createdAt
        createdBy
        updatedAt
        updatedBy
        version
        sessions {
          ...SessionFields
        }
      }
    }
  `,
  [sessionFragment],
);

/** Reads who changed the account last, after a version conflict. */
export const userVersionQuery = graphql(`
  query UserVersion($id: String!) {
    current: user(id: $id) {
      version
      updatedAt
      updatedBy
    }
  }
`);

export const createUserMutation = graphql(`
  mutation CreateUser($input: CreateUserInput!) {
    createUser(input: $input) {
      id
      username
    }
  }
`);

export const updateUserMutation = graphql(`
  mutation UpdateUser($input: UpdateUserInput!) {
    updateUser(input: $input) {
      id
      version
    }
  }
`);

export const updateUserRolesMutation = graphql(`
  mutation UpdateUserRoles($input: UpdateUserRolesInput!) {
    updateUserRoles(input: $input) {
      id
      version
    }
  }
`);

export const updateUserStatusMutation = graphql(`
  mutation UpdateUserStatus($input: UpdateUserStatusInput!) {
    updateUserStatus(input: $input) {
      id
      status
      version
    }
  }
`);

export const endUserSessionsMutation = graphql(`
  mutation EndUserSessions($input: EndUserSessionsInput!) {
    endUserSessions(input: $input) {
      count
    }
  }
`);

export type UserRow = ResultOf<typeof usersQuery>['users'][number];
export type User = NonNullable<ResultOf<typeof userQuery>['user']>;
