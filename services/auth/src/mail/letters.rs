//! Texts of mails. Plain text, so that they read the same everywhere and contain nothing active.

use chrono::Duration;

/// The content of a mail, without its recipient.
#[derive(Clone, PartialEq, Eq)]
pub struct Text {
    pub subject: String,
    /// May contain a working link, so never log it.
    pub body: String,
}

/// Writes the mail with a reset link. The recipient probably requested it, but anybody can enter the
/// recipient's name.
pub fn forgot(organization: &str, name: &str, link: &str, life: Duration) -> Text {
    Text {
        subject: format!("Choose a new password for {organization}"),
        body: format!(
            "Hello {name},\n\
             \n\
             Someone, probably you, asked for a new password at {organization}. Choose it here:\n\
             \n\
             {link}\n\
             \n\
             The link works once, within {}. If you didn't ask for it, you don't need\n\
             to do anything: your password stays as it is.\n",
            in_words(life)
        ),
    }
}

/// Writes the mail about a new account, with the link to set the first password.
pub fn invitation(organization: &str, name: &str, username: &str, link: &str, life: Duration) -> Text {
    Text {
        subject: format!("Your account at {organization}"),
        body: format!(
            "Hello {name},\n\
             \n\
             An account was created for you at {organization}. Your username is {username}.\n\
             Choose your password here:\n\
             \n\
             {link}\n\
             \n\
             The link works once, within {}. If it has expired, ask for a new one.\n",
            in_words(life)
        ),
    }
}

/// Writes the mail with a link that an admin created for an existing account.
pub fn from_admin(organization: &str, name: &str, link: &str, life: Duration) -> Text {
    Text {
        subject: format!("Choose a new password for {organization}"),
        body: format!(
            "Hello {name},\n\
             \n\
             An administrator of {organization} sent you this link. Use it to choose a new\n\
             password:\n\
             \n\
             {link}\n\
             \n\
             The link works once, within {}. Until you use it, your password stays as it is.\n",
            in_words(life)
        ),
    }
}

/// Writes the mail about a changed password.
pub fn changed(organization: &str, name: &str) -> Text {
    Text {
        subject: format!("Your password for {organization} was changed"),
        body: format!(
            "Hello {name},\n\
             \n\
             Your password for {organization} was just changed. If you changed it, all is well.\n\
             \n\
             If you didn't, tell an administrator of {organization} immediately.\n"
        ),
    }
}

/// Writes the mail that a report is attached to. `text` says what the file covers.
pub fn report(organization: &str, name: &str, report: &str, text: &str, link: &str) -> Text {
    Text {
        subject: format!("{report} ({organization})"),
        body: format!(
            "Hello {name},\n\
             \n\
             The report {report} is attached.\n\
             \n\
             {text}\n\
             \n\
             Open it in your browser:\n\
             \n\
             {link}\n\
             \n\
             You get this email because an administrator of {organization} made you a\n\
             recipient of this report.\n"
        ),
    }
}

fn in_words(life: Duration) -> String {
    match (life.num_hours(), life.num_minutes()) {
        (1, _) => "an hour".to_owned(),
        (hours, _) if hours > 1 => format!("{hours} hours"),
        (_, 1) => "a minute".to_owned(),
        (_, minutes) => format!("{minutes} minutes"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lives_in_words() {
        for (seconds, words) in [
            (60, "a minute"),
            (600, "10 minutes"),
            (3600, "an hour"),
            (5400, "an hour"),
            (86_400, "24 hours"),
        ] {
            assert_eq!(in_words(Duration::seconds(seconds)), words);
        }
    }

    #[test]
    fn a_report_says_what_it_covers_and_where_to_open_it() {
        let link = "https://waybill.example/report?setting=1";
        let text = report("Isla", "Maria", "Drivers", "November 15 to November 21, 2026.", link);
        assert_eq!(text.subject, "Drivers (Isla)");
        assert!(text.body.starts_with("Hello Maria,\n\nThe report Drivers is attached.\n\nNovember 15"));
        assert!(text.body.lines().any(|line| line == link) && text.body.contains("administrator of Isla"));
    }

    #[test]
    fn every_link_stands_on_a_line_of_its_own() {
        let (link, life) = ("https://waybill.example/reset-password?resetToken=abc", Duration::minutes(10));
        for text in [
            forgot("Isla", "Maria", link, life),
            invitation("Isla", "Maria", "maria", link, life),
            from_admin("Isla", "Maria", link, life),
        ] {
            assert!(text.body.lines().any(|line| line == link));
            assert!(text.body.starts_with("Hello Maria,\n") && text.body.contains("Isla"));
            assert!(text.body.contains("works once, within 10 minutes"));
            assert!(text.body.lines().all(|line| line.len() <= 90));
        }
    }
}
