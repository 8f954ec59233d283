// Package publish tells readers what their lists ask for: the publisher of papers
// 000 and 001. New clips are matched against all lists at once, finds are gathered
// into digests, and mails go out once each, whatever is killed in between.
//
//	store's outbox ─ read ─▶ Matcher ─▶ items (streams, feeds)
//	                                      │ pending, by the rhythm of the list
//	                                      ▼
//	                        digest of an account ─▶ queue ─▶ Mailer
//
// Each arrow is one transaction of publish.db, so that a crash repeats nothing and loses
// nothing; of the last one see send.go.
package publish
