// SPDX-License-Identifier: Apache-2.0
// What is wrong, for people and for programs, in the same form from all commands.
#pragma once

#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "base/result.h"
#include "tools/run/document.h"

namespace millrace::tools {

// What is wrong, as it comes: text for people, in its order, and the errors that programs count.
class ErrorList {
public:
    void add(const Diagnostic& error);
    void add(const run::InputError& error);
    // Lines "FILE:LINE:COLUMN: error: REASON", each with lines of the source behind it, which begin with four spaces.
    // They are written as they are: editors know the form.
    void addOfCompiler(const std::string& text);

    bool empty() const { return m_texts.empty(); }
    // As reportErrors().
    int report(bool asJson) const;

private:
    struct Text {
        std::string text;
        bool isOfCompiler = false;
    };
    std::vector<Text> m_texts;
    std::vector<nlohmann::ordered_json> m_errors;
};

// What a compiler says, in the form of ErrorList::addOfCompiler(), as list for JSON: with "line" and "column" in
// numbers where it has them. `severity`: "error" or "warning".
nlohmann::ordered_json compilerMessagesJson(const std::string& lines, const std::string& severity);

// With "line", "column" and "pointer" where the place is known.
nlohmann::ordered_json errorJson(const run::InputError& error);

// A list of "source" (a file or a part of Millrace), "where" and "message".
nlohmann::ordered_json errorsJson(const std::vector<Diagnostic>& errors);

// Writes the errors to standard error, and as a document to standard output if JSON is wanted. `document` gets the
// member "errors". Returns the exit status for it, 1.
int reportErrors(const std::vector<Diagnostic>& errors, bool asJson);
int reportErrors(const std::vector<Diagnostic>& errors, bool asJson, nlohmann::ordered_json document);

}  // namespace millrace::tools
