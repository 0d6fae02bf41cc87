import { Navigate } from 'react-router';
import { LOGO_SETTING_ID } from '@/domain/logo-value';
import { routes, useRouteParams } from '@/routing/routes';
import { SettingView } from './setting-view';

export default function AdminSystemSettingPage() {
  const { settingsId } = useRouteParams('adminSystemSetting');
  // The logo has its own page instead of a JSON editor.
  if (settingsId === LOGO_SETTING_ID) return <Navigate replace to={routes.editLogo()} />;
  return <SettingView key={settingsId} id={settingsId} list={routes.adminSystemSettings()} />;
}
