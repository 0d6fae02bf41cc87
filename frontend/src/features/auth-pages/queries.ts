import { graphql } from '@/data/graphql';

export const adminNeededQuery = graphql(`
  query AdminNeeded {
    adminNeeded {
      needed
      setupTokenNeeded
    }
  }
`);

export const createAdminMutation = graphql(`
  mutation CreateAdmin($input: CreateAdminInput!) {
    createAdmin(input: $input) {
      id
      username
      email
      roles
    }
  }
`);
