// SPDX-License-Identifier: Apache-2.0
// page.html, page.css and page.js, which the build turns into text.
#pragma once

namespace millrace::tools::report {

extern const char kPageHtml[];
extern const char kPageCss[];
extern const char kPageJs[];

}  // namespace millrace::tools::report
