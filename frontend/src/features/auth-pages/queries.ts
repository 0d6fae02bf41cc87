import { graphql } from '@/data/graphql';

/** Options that the login page offers. */
export const signInOptionsQuery = graphql(`
  query SignInOptions {
    adminNeeded {
      needed
    }
    signUpPolicy
  }
`);

export const signUpPolicyQuery = graphql(`
  query SignUpPolicy {
    signUpPolicy
  }
`);

/** Whether links are sent by email; the same for every visitor. */
export const sendsMailQuery = graphql(`
  query SendsMail {
    sendsMail
  }
`);

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
