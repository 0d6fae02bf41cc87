import { useTranslation } from 'react-i18next';
import type { ResultOf } from '@/data/graphql';
import { Note } from '@/ui/note';
import type { signUpPolicyQuery } from '../queries';

interface SignUpStateProps {
  policy: ResultOf<typeof signUpPolicyQuery>['signUpPolicy'];
}

/** Which rule holds for those who would like an account. */
export function SignUpState({ policy }: SignUpStateProps) {
  const { t } = useTranslation('auth');
  return (
    <Note title={t(`register.policy.${policy}.title`)}>
      {t(`register.policy.${policy}.text`)}
    </Note>
  );
}
